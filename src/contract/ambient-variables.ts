/**
 * The variables of a shell that its commands work with without being asked for: where programs are found and how they
 * write text.
 */
export const isAmbientVariable = (name: string): boolean => /^(PATH|LANG|LANGUAGE|LC_\w+|TZ)$/.test(name);
