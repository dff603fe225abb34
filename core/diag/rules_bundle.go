package diag

// bundleRules are the rules with source "bundle".
var bundleRules = []Rule{}
