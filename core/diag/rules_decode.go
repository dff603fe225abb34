package diag

// decodeRules are the rules with source "decode".
var decodeRules = []Rule{}
