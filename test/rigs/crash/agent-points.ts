import type { KillSwitch } from './kill-points.ts';
import { replaceMethod } from './replace-method.ts';

/** Puts the points into the parts that let models work with tools. */
export async function installAgentPoints(killSwitch: KillSwitch): Promise<void> {
  // Loaded only now, when the points of the database are in place.
  const { AuditLog } = await import('../../../src/core/audit/audit-log.ts');
  const { ApprovalStore } = await import('../../../src/core/approvals/approval-store.ts');
  const { AgentRunStore } = await import('../../../src/core/chat/runs/agent-run-store.ts');
  const { AgentWork } = await import('../../../src/core/chat/runs/agent-work.ts');
  const { ToolLoop } = await import('../../../src/core/chat/runs/tool-loop.ts');
  const { TaskStore } = await import('../../../src/core/tasks/task-store.ts');
  const { ModelSteps } = await import('../../../src/core/providers/model-steps.ts');

  replaceMethod(AuditLog.prototype, 'append', (append) => (transaction, entry) => {
    if (entry.result === 'intent') killSwitch.passAtCommit('before-intent', 'after-intent');
    if (/^(ok|failed)\b/.test(entry.result) && entry.callId !== undefined) {
      killSwitch.pass('tool-ran');
      killSwitch.passAtCommit('after-result');
    }
    return append(transaction, entry);
  });
  replaceMethod(TaskStore.prototype, 'insertClaimed', (insertClaimed) => (...args) => {
    killSwitch.passAtCommit('before-new-run', 'after-new-run');
    return insertClaimed(...args);
  });
  replaceMethod(ApprovalStore.prototype, 'insert', (insert) => (...args) => {
    killSwitch.passAtCommit('after-ask');
    return insert(...args);
  });
  replaceMethod(ApprovalStore.prototype, 'decide', (decide) => (...args) => {
    killSwitch.passAtCommit('after-decision');
    return decide(...args);
  });
  replaceMethod(AgentRunStore.prototype, 'insert', (insert) => (...args) => {
    if (args[1].kind === 'message') killSwitch.passAtCommit('message-waits');
    return insert(...args);
  });
  replaceMethod(AgentRunStore.prototype, 'save', (save) => async (id, change) => {
    if (change.state !== undefined) killSwitch.pass('before-state');
    await save(id, change);
    if (change.state !== undefined) killSwitch.pass('after-state');
    else if (change.status === 'running') killSwitch.pass('resumed');
  });
  replaceMethod(
    ModelSteps.prototype,
    'take',
    (take) =>
      async function* (...args) {
        const end = yield* take(...args);
        killSwitch.pass('model-answered');
        return end;
      },
  );
  replaceMethod(ToolLoop.prototype, 'run', (run) => async (order) => {
    const end = await run(order);
    if (end.kind === 'done') killSwitch.pass('last-step');
    return end;
  });
  replaceMethod(AgentWork.prototype, 'execute', (execute) => async (run) => {
    killSwitch.pass('execute-start');
    try {
      return await execute(run);
    } finally {
      killSwitch.pass('execute-end');
    }
  });
}
