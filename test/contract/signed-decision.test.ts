import { expect, it } from 'vitest';
import type { Approval } from '../../src/contract/approvals.ts';
import { decisionText, shownText, type SignedDecision } from '../../src/contract/signed-decision.ts';

const approval: Approval = {
  id: 'appr_1',
  status: 'pending',
  taskId: 'task_1',
  toolName: 'write_file',
  params: { path: 'a.txt', content: 'é\u202e "x"\n', count: 1e21, nested: { b: 1, a: [null, true] } },
  cwd: '/srv/shop',
  securityLevel: 'medium',
  reason: 'It changes files',
  alwaysCovers: 'files of /srv/shop',
  requestedAt: '2026-03-01T12:00:00.000Z',
  expiresAt: '2026-03-02T12:00:00.000Z',
};
const signed: SignedDecision = {
  approvalId: 'appr_1',
  shown: 'ab',
  binding: 'cd',
  arguments: 'asked',
  decision: 'allow-once',
  covers: null,
  denialReason: null,
  signedAt: '2026-03-01T12:01:00.000Z',
  keyId: 'skey_1',
  userId: 'user_ann',
  sessionId: 'sess_1',
  deviceId: null,
};

it('is these bytes in version 1, which old signatures are verified against', () => {
  expect(decisionText(signed)).toBe(
    'svc/approval-decision/v1\n' +
      '{"approvalId":"appr_1","arguments":"asked","binding":"cd","covers":null,"decision":"allow-once",' +
      '"denialReason":null,"deviceId":null,"keyId":"skey_1","sessionId":"sess_1","shown":"ab",' +
      '"signedAt":"2026-03-01T12:01:00.000Z","userId":"user_ann"}',
  );
  expect(shownText(approval)).toBe(
    '{"agent":null,"alwaysCovers":"files of /srv/shop","conversationId":null,"cwd":"/srv/shop","diff":null,' +
      '"expiresAt":"2026-03-02T12:00:00.000Z","id":"appr_1",' +
      '"params":{"content":"é\u202e \\"x\\"\\n","count":1e+21,"nested":{"a":[null,true],"b":1},"path":"a.txt"},' +
      '"reason":"It changes files","requestedAt":"2026-03-01T12:00:00.000Z","scripts":null,' +
      '"securityLevel":"medium","taskId":"task_1","toolName":"write_file"}',
  );
});

it('is the same for an approval that came as JSON in another order', () => {
  const { params, ...rest } = approval;
  const other = { ...rest, params: Object.fromEntries(Object.entries(params).reverse()) };
  expect(shownText(JSON.parse(JSON.stringify(other)) as Approval)).toBe(shownText(approval));
});

it.each<[string, Partial<Approval>]>([
  ['tool', { toolName: 'run_command' }],
  ['arguments', { params: { ...approval.params, path: 'b.txt' } }],
  ['directory', { cwd: '/' }],
  ['agent', { agent: 'codex' }],
  ['danger', { securityLevel: 'high' }],
  ['reason', { reason: 'It is harmless' }],
  ['scripts', { scripts: [{ path: 'x.sh', sha256: '00' }] }],
  ['diff', { diff: { path: 'a.txt', text: '+x', added: 1, removed: 0 } }],
  ['coverage', { alwaysCovers: 'every call' }],
  ['task', { taskId: 'task_2' }],
  ['deadline', { expiresAt: '2027-03-02T12:00:00.000Z' }],
])('covers the %s that is shown', (_, change) => {
  expect(shownText({ ...approval, ...change })).not.toBe(shownText(approval));
});

it('does not cover what changes with the decision', () => {
  expect(shownText({ ...approval, status: 'approved', decidedBy: 'user_ann', needsSignature: true })).toBe(
    shownText(approval),
  );
});
