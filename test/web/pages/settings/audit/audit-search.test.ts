import { describe, expect, it } from 'vitest';
import { readAuditSearch } from '../../../../../src/web/pages/settings/audit/audit-search.ts';

describe('the search of the audit log', () => {
  it('keeps what it knows and leaves out the rest', () => {
    expect(
      readAuditSearch({ tool: 'auth.sign_in', user: 12, from: '', after: 50, entry: 'audit_1', x: 1 }),
    ).toEqual({ tool: 'auth.sign_in', user: '12', after: 50, entry: 'audit_1' });
    for (const after of [-1, 0, 'many', 1.5, undefined]) expect(readAuditSearch({ after })).toEqual({});
  });
});
