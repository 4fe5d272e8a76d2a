// The dispatch's parameters lie in a uniform buffer.

@group(0) @binding(3) var<uniform> parameters: Parameters;
