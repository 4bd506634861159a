"""Files: read, cut into chunks, indexed and watched, under the operator's allowed roots only."""
