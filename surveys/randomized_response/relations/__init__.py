"""Two questions together: tables, associations, goodness of fit."""
