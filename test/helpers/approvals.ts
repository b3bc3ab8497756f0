import type { NewApproval } from '../../src/core/approvals/approval-facts.ts';
import { DecisionSignatures } from '../../src/core/approvals/decision-signatures.ts';
import type { NeedsSignature } from '../../src/core/approvals/signature-policy.ts';
import type { Runtime } from '../../src/core/runtime.ts';
import { KeyRing } from '../../src/core/secrets/key-ring.ts';

/** A request of a task to run a command, with what a test needs otherwise. */
export const newApproval = (different: Partial<NewApproval> = {}): NewApproval => ({
  run_id: 'run_1',
  call_id: 'call_1',
  owner_id: 'user_owner',
  conversation_id: null,
  task_id: 'task_1',
  scope_id: 'task_1',
  tool: 'run_command',
  arguments: '{}',
  cwd: '/',
  danger: 'high',
  reason: 'It runs a program',
  scripts: null,
  covers: null,
  covers_key: null,
  coverable: 0,
  diff: null,
  basis: null,
  edited: null,
  context: null,
  binding: 'one',
  ...different,
});

/** What a service of approvals needs for signatures; none is needed unless the test says so. */
export const unsigned = (runtime: Runtime, needsSignature: NeedsSignature = () => false) => ({
  signatures: new DecisionSignatures(runtime, needsSignature),
  keys: new KeyRing(Buffer.alloc(32, 7)),
});
