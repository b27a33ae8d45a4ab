package compendium

// ownFields are the fields of each type beyond the envelope.
var ownFields = map[Type]func() []Field{
	Character: characterFields, Location: locationFields, Organization: organizationFields, Event: eventFields, Plot: plotFields,
	Threat: threatFields, Item: itemFields, Power: powerFields, Rule: ruleFields, Culture: cultureFields,
}

// relationCategories part the relationships between two; other is the last.
var relationCategories = []string{"kin", "romance", "friendship", "alliance", "rivalry", "enmity", "authority", "service", "mentorship", "debt", "other"}

func characterFields() []Field {
	return []Field{
		text("role", 60, "occupation", "job", "profession").tool("part in the story, trade"),
		ref("culture", "of_culture", Culture).words("species", "race", "people"),
		text("pronouns", 60, "gender"), text("age", 40),
		text("appearance", 400, "looks", "physical_description").tool(""),
		text("personality", 400, "traits", "character_traits").tool(""),
		text("voice", 200, "speech"),
		rows("relationships", key("with", "category"),
			ref("with", "relates_to", Character, Organization, Culture).words("who", "name", "target", "character", "to"),
			enum("category", relationCategories...),
			text("nature", 60, "type", "relationship", "relation"), text("status", 40),
			number("tension", 0, 3), number("trust", -3, 3), moment("since"), text("note", 160, "notes", "description"),
		).words("relationship", "relations", "bonds").tool("", "with", "nature", "status", "tension"),
		rows("memberships", key("org"),
			ref("org", "member_of", Organization).words("organization", "organisation", "name", "group", "faction", "with"),
			text("rank", 60, "role", "position"), enum("status", "member", "former", "suspect", "expelled", "founder", "leader"),
		).words("membership", "affiliations", "affiliation", "organizations", "organization", "factions", "faction").tool("", "org", "rank", "status"),
		rows("abilities", key("power"),
			ref("power", "has_power", Power).words("name", "ability"), text("level", 60), text("limits", 160, "limit"),
		).words("ability", "powers", "skills").tool(""),
		rows("goals", key("text"),
			text("text", 200, "goal", "name"), enum("horizon", "now", "soon", "long"), enum("status", "open", "met", "dropped"),
			ref("plot", "pursues", Plot),
		).words("goal", "aims", "motivations", "motivation").tool(""),
		rows("obligations", key("to", "what"),
			ref("to", "owes", Character, Organization), text("what", 160), moment("due", "deadline"), enum("status", "open", "kept", "broken"),
		).mainly("what").words("obligation", "debts", "promises", "promise").tool("promises, debts", "to", "what", "due"),
		rows("secrets", key("text"),
			text("text", 300, "secret"), refs("known_by", "", Character), text("stakes", 160),
		).words("secret").hidden(OwnSecret).tool("", "text", "known_by"),
		rows("backstory", key("text"),
			text("text", 300), ref("event", "took_part_in", Event),
		).words("background", "past"),
		group(
			"current_state",
			text("status", 120).doc("as in: injured, hiding"),
			ref("location", "located_at", Location).words("place", "where"),
			text("condition", 80, "health"),
			rows("injuries", key("part"), text("part", 60, "injury", "text", "where"), text("severity", 60), moment("since")).words("wounds", "injury"),
			text("mood", 60, "emotion"), text("activity", 120, "doing"), text("outfit", 160, "clothing", "wearing"), text("disguise", 120),
			refs("with", "accompanies", Character).words("companions", "accompanied_by"),
			text("immediate_goal", 160, "goal", "intent"), text("resources", 160, "inventory", "money"),
		).words("state", "current", "now").tool("", "location", "status", "condition", "mood", "immediate_goal"),
	}
}

func locationFields() []Field {
	return []Field{
		text("kind", 60, "location_type", "category").tool("room, building, town"),
		ref("parent", "part_of", Location).words("part_of", "inside", "located_in", "within").tool("the place it is part of"),
		rows("exits", key("to"),
			ref("to", "connects_to", Location).words("name", "location", "place"), text("how", 80), text("condition", 80),
		).words("connections", "connected_to", "exit").tool("", "to", "how"),
		ref("controlled_by", "controlled_by", Organization, Character).words("ruler", "ruled_by"),
		rows("inhabitants", key("who"),
			inverse("who", "inhabits", Character, Organization, Culture).words("name"), text("role", 60),
		).words("residents", "occupants_list", "people"),
		rows("features", key("name"), text("name", 80, "feature", "text"), text("detail", 200, "description")).words("feature").tool(""),
		text("atmosphere", 200, "mood").tool(""), text("climate", 120),
		rows("hazards", key("name"), text("name", 80, "hazard", "text"), inverse("threat", "threatens", Threat)).words("dangers"),
		rows("hidden", key("what"), text("what", 200, "name", "text"), boolean("discovered", "found")).words("secrets").hidden(UntilFound),
		group(
			"current_state",
			text("condition", 80, "status"), text("occupants", 160), text("weather", 80), enum("access", "open", "guarded", "sealed", "other"),
			ref("owner_now", "owned_by", Character, Organization).words("owner"),
		).words("state", "current", "now").tool("", "condition", "access"),
	}
}

var stances = []string{"allied", "friendly", "neutral", "rival", "hostile", "war", "vassal", "overlord", "other"}

func organizationFields() []Field {
	return []Field{
		text("kind", 60, "organization_type").tool("guild, family, cult"),
		text("purpose", 200, "goal", "mission").tool(""),
		ref("headquarters", "based_at", Location).words("base", "location", "hq").tool(""),
		ref("leader", "led_by", Character).words("led_by", "head").tool(""),
		text("structure", 200, "hierarchy"),
		rows("members", key("who"),
			ref("who", "has_member", Character).words("name", "character", "member"), text("rank", 60, "role"),
		).words("member"),
		rows("relations", key("with"),
			ref("with", "org_relation", Organization, Culture, Character).words("name", "who", "organization"), enum("stance", stances...), text("note", 160, "nature", "status"),
		).words("relationships", "allies", "enemies").tool("", "with", "stance"),
		rows("assets", key("what"), text("what", 120, "name", "asset"), ref("item", "owns", Item, Location)).words("resources"),
		text("methods", 200), text("public_face", 200),
		text("true_nature", 300, "secret").hidden(Narrators),
		group(
			"current_state",
			text("strength", 120), text("current_aim", 160, "aim", "goal"), text("internal_tension", 160), text("standing", 160, "standing_with_protagonists"),
		).words("state", "current", "now").tool("", "strength", "current_aim", "internal_tension"),
	}
}

func eventFields() []Field {
	return []Field{
		text("kind", 60, "event_type").tool("battle, crime, festival"),
		moment("when", "date", "time").tool("time as the story says it"),
		text("duration", 60),
		ref("location", "happened_at", Location).words("place", "where").tool(""),
		rows("participants", key("who"),
			inverse("who", "took_part_in", Character, Organization).words("name", "character"), enum("part", "actor", "victim", "witness", "cause", "other"), text("outcome", 120),
		).words("participant", "people", "involved", "characters").tool("", "who", "part"),
		ref("cause", "caused_by", Event, Plot, Threat, Character).words("caused_by"),
		rows("consequences", key("text"), text("text", 200, "consequence"), ref("affects", "affects")).words("consequence", "result", "outcome", "outcomes").tool(""),
		rows("objects", key("item"), ref("item", "involved", Item).words("name", "object")).words("items"),
		text("recurring", 120),
		boolean("significant", "important"), boolean("public", "is_public").tool("is it known to all"),
		group("current_state", text("progress", 160), moment("expected_when", "expected")).words("state", "current"),
	}
}

func plotFields() []Field {
	return []Field{
		enum("kind", "main", "side", "personal", "mystery", "romance", "quest", "other").tool(""),
		text("question", 200, "mystery").tool("what is to be answered"),
		text("stakes", 200).tool(""),
		rows("parties", key("who"), inverse("who", "involved_in").words("name", "character"), text("side", 60), text("motive", 120)).words("involved", "characters"),
		rows("steps", key("text"), text("text", 200, "step", "name"), enum("status", "todo", "doing", "done", "failed"), ref("event", "advanced_by", Event)).words("step", "objectives", "tasks").tool("", "text", "status"),
		rows("clues", key("text"), text("text", 200, "clue"), boolean("found", "discovered"), ref("event", "clue_from", Event), text("points_to", 120)).words("clue").hidden(UntilFound).tool(""),
		rows("threats", key("threat"), ref("threat", "faces", Threat).words("name")).words("threat"),
		moment("deadline", "due").tool(""),
		ref("arc", "belongs_to", Plot),
		group(
			"current_state",
			enum("stage", "seed", "rising", "crisis", "climax", "aftermath", "other"), text("latest_development", 200, "latest", "progress", "status"),
			text("next_likely", 160, "next", "next_step"), text("blocked_by", 120),
		).words("state", "current", "now").tool("", "stage", "latest_development", "next_likely"),
	}
}

func threatFields() []Field {
	return []Field{
		enum("kind", "person", "group", "force", "curse", "clock", "disease", "secret", "other").tool(""),
		ref("source", "sourced_from").words("origin", "who").tool("who or what it comes from"),
		rows("targets", key("who"), ref("who", "threatens").words("name", "target"), text("how", 120)).words("target", "victims").tool(""),
		number("severity", 1, 5).tool("1-5"), number("imminence", 0, 3).tool("0-3"),
		text("triggers", 200, "trigger"),
		rows("signs", key("text"), text("text", 200, "sign"), boolean("seen")).hidden(UntilFound),
		rows("countermeasures", key("text"),
			text("text", 200, "name"), ref("item", "countered_by", Item), ref("power", "countered_by", Power), boolean("tried"), text("result", 120),
		).words("weaknesses", "weakness").tool(""),
		group("clock", number("segments", 1, 24), number("filled", 0, 24), text("on_full", 160)),
		group(
			"current_state",
			text("phase", 80, "status"), ref("whereabouts", "located_at", Location).words("location", "where"), text("last_move", 160),
		).words("state", "current", "now").tool("", "phase", "whereabouts"),
	}
}

func itemFields() []Field {
	return []Field{
		text("kind", 60, "item_type").tool("weapon, document, key"),
		text("appearance", 300, "looks").tool(""),
		rows("properties", key("name"), text("name", 80, "property", "text"), text("effect", 200, "description"), ref("power", "grants", Power)).words("effects", "effect", "abilities").tool(""),
		text("restrictions", 200),
		ref("maker", "made_by", Character, Organization, Culture).words("made_by", "creator"),
		rows("provenance_chain", key("holder", "from"),
			ref("holder", "was_held_by", Character, Organization), moment("from"), moment("to"), enum("how", "given", "stolen", "found", "bought", "inherited", "other"),
		).words("chain", "owners", "previous_holders"),
		number("quantity", 0, 1_000_000_000).tool(""), boolean("unique"),
		group(
			"current_state",
			ref("holder", "held_by", Character, Organization).words("owner", "held_by", "wielder", "carried_by"),
			ref("location", "located_at", Location, Item).words("place", "where"),
			text("condition", 80, "status"), ref("attuned_to", "attuned_to", Character), text("how", 40, "acquired"),
		).words("state", "current", "now").tool("holder or location", "holder", "location", "condition", "how"),
	}
}

func powerFields() []Field {
	return []Field{
		text("kind", 60, "power_type").tool("spell, skill, technology"),
		ref("system", "governed_by", Rule).words("magic_system"),
		text("effect", 300, "does").tool(""), text("cost", 200).tool(""),
		rows("limits", key("text"), text("text", 200, "limit")).words("limitations", "limit", "weakness").tool(""),
		text("requirements", 200, "requires"),
		rows("counters", key("text"), text("text", 160, "name"), ref("by", "countered_by")).words("counter"),
		rows("holders", key("who"), inverse("who", "has_power", Character).words("name", "holder"), text("level", 60)).words("holder", "users", "wielders").tool(""),
		ref("origin", "originates_from").words("source"),
		group("current_state", text("availability", 120, "status"), text("charges", 60), text("cooldown", 80)).words("state", "current", "now").tool("", "availability", "charges"),
	}
}

func ruleFields() []Field {
	return []Field{
		text("kind", 60, "rule_type").tool("law, custom, magic system"),
		text("statement", 300, "rule", "text").tool("the law itself, as an order"),
		rows("scope", key("ref"), ref("ref", "applies_to", Location, Organization, Culture, Power, Character).words("name", "where", "applies_to")).words("applies_to", "where").tool("places, groups, powers it binds"),
		rows("exceptions", key("text"), text("text", 200, "exception"), ref("ref", "excepts")).words("exception").tool(""),
		text("consequences_of_breaking", 200, "consequences", "penalty", "punishment").tool(""),
		rows("terms", key("term"), text("term", 60), text("meaning", 200)),
		text("examples", 300), enum("strictness", "hard", "soft").tool(""),
		text("replaced_by", 160),
		group("current_state", text("in_force", 120, "status"), moment("suspended_since")).words("state", "current", "now"),
	}
}

func cultureFields() []Field {
	return []Field{
		text("kind", 60, "culture_type").tool("people, faith, language"),
		rows("traits", key("topic", "text"),
			enum("topic", "customs", "values", "food", "dress", "taboo", "rites", "government", "biology", "other"), text("text", 200, "trait", "name"),
		).mainly("text").words("trait", "customs", "values").tool("", "topic", "text"),
		ref("homeland", "native_to", Location).words("home", "location").tool(""),
		rows("address", key("rule"), text("rule", 160, "text"), text("examples", 160)).words("names", "forms_of_address"),
		text("language", 120).tool(""),
		rows("beliefs", key("text"), text("text", 200, "belief"), ref("rule", "holds", Rule)).words("belief", "faith").tool(""),
		rows("relations", key("with"), ref("with", "culture_relation", Culture, Organization).words("name"), enum("stance", stances...), text("note", 160)).words("relationships"),
		rows("notable", key("who"), inverse("who", "of_culture", Character).words("name")).words("notable_members"),
		group("current_state", text("mood", 120), text("current_pressure", 160, "pressure")).words("state", "current", "now").tool("", "mood", "current_pressure"),
	}
}
