package store_test

const crashEnv = "WEFT_STORE_CRASH"

func crashChild() {}
