// Package compendium is typed knowledge of a world.
package compendium
