"""English: from the words of a sentence to what it says about who says it."""
