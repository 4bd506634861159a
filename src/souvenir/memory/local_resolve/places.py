"""Which place lies in which, as far as is needed to tell a move from a more exact answer."""

from souvenir.memory.local_resolve.kinds import closed

_PLACES = {
    "germany": "berlin hamburg munich cologne frankfurt stuttgart leipzig dresden düsseldorf bremen hanover nuremberg"
    " bonn heidelberg freiburg kiel bavaria saxony",
    "france": "paris lyon marseille toulouse nice nantes bordeaux lille strasbourg montpellier",
    "spain": "madrid barcelona valencia seville bilbao malaga granada zaragoza catalonia",
    "italy": "rome milan naples turin florence bologna venice palermo tuscany sicily",
    "united kingdom": "london manchester birmingham leeds glasgow edinburgh bristol liverpool cardiff belfast oxford"
    " cambridge england scotland wales",
    "england": "london manchester birmingham leeds bristol liverpool oxford cambridge",
    "scotland": "glasgow edinburgh aberdeen",
    "ireland": "dublin cork galway",
    "netherlands": "amsterdam rotterdam utrecht eindhoven",
    "belgium": "brussels antwerp ghent bruges",
    "switzerland": "zurich geneva basel bern lausanne",
    "austria": "vienna graz salzburg linz innsbruck",
    "poland": "warsaw krakow gdansk wroclaw poznan",
    "czech republic": "prague brno",
    "hungary": "budapest",
    "portugal": "lisbon porto braga",
    "greece": "athens thessaloniki",
    "sweden": "stockholm gothenburg malmo",
    "norway": "oslo bergen trondheim",
    "denmark": "copenhagen aarhus",
    "finland": "helsinki tampere turku",
    "russia": "moscow",
    "ukraine": "kyiv lviv odesa",
    "turkey": "istanbul ankara izmir",
    "united states": "new_york los_angeles chicago houston phoenix philadelphia san_antonio san_diego dallas austin"
    " san_francisco seattle denver boston portland miami atlanta detroit minneapolis washington california texas"
    " florida oregon colorado massachusetts illinois ohio michigan arizona nevada las_vegas nashville hawaii",
    "california": "los_angeles san_francisco san_diego sacramento oakland san_jose",
    "texas": "austin houston dallas san_antonio",
    "florida": "miami orlando tampa",
    "massachusetts": "boston",
    "illinois": "chicago",
    "canada": "toronto vancouver montreal ottawa calgary edmonton quebec ontario",
    "mexico": "mexico_city guadalajara monterrey cancun",
    "brazil": "sao_paulo rio_de_janeiro brasilia",
    "argentina": "buenos_aires cordoba",
    "peru": "lima cusco",
    "chile": "santiago",
    "colombia": "bogota medellin",
    "japan": "tokyo osaka kyoto yokohama sapporo",
    "china": "beijing shanghai shenzhen guangzhou chengdu",
    "south korea": "seoul busan",
    "india": "delhi new_delhi mumbai bangalore bengaluru chennai kolkata hyderabad pune",
    "australia": "sydney melbourne brisbane perth adelaide canberra",
    "new zealand": "auckland wellington christchurch",
    "south africa": "cape_town johannesburg durban",
    "egypt": "cairo alexandria",
    "nigeria": "lagos abuja",
    "kenya": "nairobi",
    "israel": "tel_aviv jerusalem haifa",
    "thailand": "bangkok chiang_mai",
    "vietnam": "hanoi saigon",
    "europe": "germany france spain italy united_kingdom ireland netherlands belgium switzerland austria poland"
    " portugal greece sweden norway denmark finland hungary",
    "asia": "japan china south_korea india thailand vietnam",
}
_WITHIN = closed(_PLACES)


def containing(place: str) -> frozenset[str]:
    """The places that a place lies in, those known."""
    return _WITHIN.get(place, frozenset())
