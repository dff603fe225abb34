package diag

// gateRules are the rules with source "gate".
var gateRules = []Rule{}
