"""Results for people: Markdown and terminal tables."""
