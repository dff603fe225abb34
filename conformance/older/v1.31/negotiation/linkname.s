// This file lets the functions of controllers.go have no bodies.
