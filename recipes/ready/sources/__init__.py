"""Free English and German text for the recipe `ready`: where it comes from and how it is cleaned."""
