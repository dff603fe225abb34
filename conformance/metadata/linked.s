// Lets the package have functions that are linked from elsewhere.
