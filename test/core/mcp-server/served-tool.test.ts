import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/contract/scopes.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { mayCall, requireMayCall } from '../../../src/core/mcp-server/served-tool.ts';

const ann: Caller = { userId: 'user_ann', role: 'user' };
const token = (...scopes: Scope[]): Caller => ({ ...ann, token: { id: 'token_1', scopes } });

describe('a tool', () => {
  it.each<[string, Caller, readonly Scope[] | undefined, boolean]>([
    ['a person, whatever the scopes', ann, ['tasks:read'], true],
    ['a person, where tokens may not', ann, undefined, true],
    ['a token with one of the scopes', token('tasks:write'), ['tasks:read', 'tasks:write'], true],
    ['a token with others', token('memory:read', 'agents:command'), ['tasks:read'], false],
    ['a token without any', token(), ['tasks:read'], false],
    ['a token, where only people may', token('tasks:read', 'tasks:write'), undefined, false],
  ])('is for %s', (_, caller, scopes, isAllowed) => {
    expect(mayCall(caller, { scopes })).toBe(isAllowed);
    if (isAllowed) expect(() => requireMayCall(caller, { scopes })).not.toThrow();
    else expect(() => requireMayCall(caller, { scopes })).toThrow(/needs the scope|not an API token/);
  });
});
