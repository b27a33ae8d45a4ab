package jobs_test

func crashChild() {}
