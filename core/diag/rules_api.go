package diag

// apiRules are the rules with source "api".
var apiRules = []Rule{}
