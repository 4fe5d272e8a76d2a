// The dispatch's parameters come with the command: no buffer, and no load from memory.

var<immediate> parameters: Parameters;
