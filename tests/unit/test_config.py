"""Settings: read from the environment and souvenir.toml, typed, and refused with one line that names the mistake."""

from pathlib import Path

import pytest

from souvenir.config import Settings, is_loopback, load_settings
from souvenir.errors import SettingsError

JWT = {"SOUVENIR_AUTH": "jwt"}


@pytest.mark.req("OPS-1")
def test_a_variable_sets_a_typed_value() -> None:
    settings = load_settings({"SOUVENIR_PORT": "8080", "SOUVENIR_WORKER": "false", "OTHER": "x"})
    assert settings.port == 8080
    assert settings.worker is False


@pytest.mark.req("OPS-1")
@pytest.mark.parametrize(
    ("environ", "names"),
    [
        ({"SOUVENIR_PRT": "1"}, ["SOUVENIR_PRT", "SOUVENIR_PORT"]),
        ({"SOUVENIR_PORT": "many"}, ["SOUVENIR_PORT", "integer"]),
        ({"SOUVENIR_PORT": "70000"}, ["SOUVENIR_PORT"]),
        ({"SOUVENIR_AUTH": "maybe"}, ["SOUVENIR_AUTH", "'none', 'jwt' or 'keys'"]),
        ({"SOUVENIR_WORKER": "perhaps"}, ["SOUVENIR_WORKER", "boolean"]),
        ({"SOUVENIR_DATABASE_URL": "mysql://x"}, ["SOUVENIR_DATABASE_URL", "postgresql://"]),
        ({"SOUVENIR_REDIS_URL": "http://x"}, ["SOUVENIR_REDIS_URL", "redis://"]),
        ({"SOUVENIR_CHAT_STORE": "paper"}, ["SOUVENIR_CHAT_STORE", "postgres"]),
        ({"SOUVENIR_LLM_BASE_URL": "localhost:1"}, ["SOUVENIR_LLM_BASE_URL", "http://"]),
        ({"SOUVENIR_EMBED_BASE_URL": "http://x"}, ["SOUVENIR_EMBED_MODEL"]),
        ({"SOUVENIR_EMBED_MODEL": "x"}, ["SOUVENIR_EMBED_BASE_URL"]),
        ({"SOUVENIR_LLM_MODEL": "x"}, ["SOUVENIR_LLM_BASE_URL"]),
        ({"SOUVENIR_DEFAULT_USER": "a\x00b"}, ["SOUVENIR_DEFAULT_USER"]),
        ({"SOUVENIR_PROVIDERS": "{}"}, ["souvenir.toml"]),
        ({"SOUVENIR_DEFAULT_PROVIDER": "nobody"}, ["nobody"]),
        ({"SOUVENIR_CONFIG": "/does/not/exist"}, ["SOUVENIR_CONFIG", "/does/not/exist"]),
        (JWT, ["SOUVENIR_JWT_SECRET", "SOUVENIR_JWT_PUBLIC_KEY_FILE", "SOUVENIR_JWT_JWKS_URL"]),
        (JWT | {"SOUVENIR_JWT_SECRET": "a", "SOUVENIR_JWT_JWKS_URL": "https://x"}, ["exactly one"]),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line_that_names_it(environ: dict[str, str], names: list[str]) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings(environ)
    assert "\n" not in str(error.value)
    for name in names:
        assert name in str(error.value)


@pytest.mark.req("ID-2")
@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.com", ""])
def test_mode_none_is_refused_on_an_address_others_can_reach(host: str) -> None:
    with pytest.raises(SettingsError, match="loopback"):
        load_settings({"SOUVENIR_HOST": host})
    assert load_settings({"SOUVENIR_HOST": host, "SOUVENIR_AUTH": "keys"}).host == host


@pytest.mark.req("ID-2")
@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
def test_mode_none_is_allowed_on_loopback(host: str) -> None:
    assert is_loopback(host)
    assert load_settings({"SOUVENIR_HOST": host}).auth == "none"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    file = tmp_path / "some.toml"
    file.write_text('port = 1111\nlog_level = "error"\n[providers.local]\nbase_url = "http://127.0.0.1:1/v1/"\n')
    settings = load_settings({"SOUVENIR_CONFIG": str(file), "SOUVENIR_PORT": "2222"})
    assert (settings.port, settings.log_level) == (2222, "error")
    assert settings.providers["local"].base_url == "http://127.0.0.1:1/v1"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("porth = 1", "did you mean"),
        ('port = "x"', "port: Input should be a valid integer"),
        ("port = ", "cannot be read"),
        ("[providers.x]\nbase_url = 'ftp://x'", "providers.x.base_url"),
        ("[providers.x]\nbase_url = 'http://x'\nmodls = []", "providers.x.modls"),
        ("[providers.offline]\nbase_url = 'http://x'", "reserved"),
    ],
)
def test_a_mistake_in_the_file_names_the_file_and_the_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "souvenir.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as error:
        load_settings({"SOUVENIR_CONFIG": str(file)})
    assert says in str(error.value)
    assert "reserved" in says or str(file) in str(error.value)


def test_an_empty_variable_means_unset_where_unset_is_possible() -> None:
    settings = load_settings({"SOUVENIR_LLM_API_KEY": "", "SOUVENIR_DATABASE_URL": "", "SOUVENIR_DEFAULT_USER": ""})
    assert settings.llm_api_key is None
    assert settings.database_url is None
    assert settings.default_user == ""


def test_secrets_do_not_show_when_settings_are_printed() -> None:
    environ = {
        "SOUVENIR_JWT_SECRET": "hush-1", "SOUVENIR_LLM_API_KEY": "hush-2", "SOUVENIR_EMBED_API_KEY": "hush-3",
        "SOUVENIR_DATABASE_URL": "postgresql://u:hush-4@h/d",
    }  # fmt: skip
    assert "hush" not in repr(load_settings(environ))


def test_the_default_provider_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "souvenir.toml"
    file.write_text('[providers.a]\nbase_url = "http://a"\n[providers.b]\nbase_url = "http://b"\n')
    environ = {"SOUVENIR_CONFIG": str(file), "SOUVENIR_LLM_BASE_URL": "http://c", "SOUVENIR_LLM_MODEL": "m"}
    assert list(load_settings(environ).provider_tables()) == ["default", "a", "b"]
    assert list(load_settings(environ | {"SOUVENIR_DEFAULT_PROVIDER": "b"}).provider_tables()) == ["b", "default", "a"]


def test_every_setting_has_a_line_of_documentation() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []
