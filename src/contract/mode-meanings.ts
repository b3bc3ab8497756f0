import type { SecurityMode } from './security-mode.ts';

/** What each mode allows the tools of a run, from the strictest to the most permissive. */
export const modeMeanings: Record<SecurityMode, string> = {
  deny: 'no tools',
  sandbox: 'read-only tools',
  allowlist: 'only the allowed tools',
  ask: 'tools need approval, unless they are allowed',
  full: 'never prompts; blocked tools and guards still apply',
};
