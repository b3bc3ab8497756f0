import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { CheckOrder } from '../agents/agent-adapter.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Config } from '../config/config.ts';
import type { EventBus } from '../events.ts';
import type { WebSearch } from '../web-search/web-search.ts';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { Log } from '../log.ts';
import type { ExperienceService } from '../memory/learned/experience-service.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import type { Outbound } from '../outbound/outbound-fetch.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import { SecretFiles } from '../paths/secret-files.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import type { Database } from '../storage/database.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Runtime } from '../runtime.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { TaskStore } from '../tasks/task-store.ts';
import { CallReview } from './call-review.ts';
import { runCheck } from './commands/run-check.ts';
import { runCommandTool } from './commands/run-command.ts';
import type { ForkServer } from '../processes/fork-server/fork-server.ts';
import type { Sandbox } from '../processes/sandbox.ts';
import { EditedCalls } from './edited-calls.ts';
import type { FileKeepers } from './file-keeper.ts';
import { editFileTool } from './files/edit-file.ts';
import { grepTool } from './files/grep.ts';
import { listDirectoryTool } from './files/list-directory.ts';
import { readFileTool } from './files/read-file.ts';
import { searchFilesTool } from './files/search-files.ts';
import { writeFileTool } from './files/write-file.ts';
import { pathTraversal } from './guards/path-traversal.ts';
import { rateLimit } from './guards/rate-limit.ts';
import { secretExfiltration } from './guards/secret-exfiltration.ts';
import { shellInjectionGuard } from './guards/shell-injection.ts';
import { McpServers } from './mcp/mcp-servers.ts';
import { memorySearchTool } from './memory/memory-search.ts';
import { taskCreateTool } from './tasks/task-create.ts';
import { taskStatusTool } from './tasks/task-status.ts';
import { ToolGate } from './tool-gate.ts';
import { ToolRegistry } from './tool-registry.ts';
import { webFetchTool } from './internet/web-fetch.ts';
import { webSearchTool } from './internet/web-search.ts';

export interface ToolDeps {
  database: Database;
  bus: EventBus;
  config: Config;
  audit: AuditLog;
  limits: RateLimits;
  policy: PolicyService;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  webSearch: WebSearch;
  outbound: Outbound;
  tasks: TaskService;
  store: TaskStore;
  memory: MemoryService;
  experiences: ExperienceService;
  /** The real paths of the daemon's own directories. */
  protectedDirectories: string[];
  /** The daemon's environment; only an allowlist of it is passed on. */
  env: Record<string, string | undefined>;
  installation: string;
  forkServer: Pick<ForkServer, 'start'>;
  sandbox: Sandbox;
  fileKeepers: FileKeepers;
  telemetry: Telemetry | undefined;
  reportBug: (error: unknown) => void;
  runtime: Runtime;
  log: Log;
}

/** Wires the built-in tools, the tools of MCP servers, and the gate that every call passes. */
export function composeTools(deps: ToolDeps) {
  const { tasks, store, webSearch, outbound, protectedDirectories, config, limits } = deps;
  const secretFiles = new SecretFiles();
  const builtin = [
    readFileTool,
    listDirectoryTool,
    searchFilesTool,
    grepTool,
    writeFileTool,
    editFileTool,
    runCommandTool({
      ...deps,
      start: deps.forkServer.start,
      secretFiles,
      unsandboxed: () => config.get('tools.unsandboxed'),
    }),
    webFetchTool({ outbound }),
    webSearchTool({ webSearch }),
    memorySearchTool(deps),
    taskCreateTool({
      create: async ({ userId, isTrusted, task }) => {
        const purpose = { scope: 'task_create', key: undefined, body: undefined, isText: true, isTrusted };
        const caller = { userId, role: 'user' as const };
        const { answer } = await tasks.createFor(caller, task, {
          ...purpose,
          attach: (_, created) => created,
        });
        return answer;
      },
      depthOf: async (taskId) => {
        const row = taskId === undefined ? undefined : await store.find(taskId);
        const { depth } = JSON.parse(row?.metadata ?? '{}') as { depth?: unknown };
        return typeof depth === 'number' && depth > 0 ? depth : 0;
      },
    }),
    taskStatusTool({ get: (caller, id) => tasks.get(caller, id) }),
  ];
  const { env, installation, runtime, reportBug } = deps;
  const mcp = new McpServers({ config, env, installation, runtime, reportBug });
  const registry = new ToolRegistry(builtin, mcp);
  const guards = [
    pathTraversal,
    shellInjectionGuard,
    secretExfiltration({ protectedDirectories, secretFiles }),
    rateLimit(limits, () => config.get('tools.callsPerMinute')),
  ];
  const person = { home: realHome(env), configHome: env['XDG_CONFIG_HOME'] };
  const reviewed = { ...deps, ...person, registry, guards, secretFiles };
  const review = new CallReview(reviewed);
  const gate = new ToolGate(reviewed, review);
  const editedCalls = new EditedCalls({ ...deps, review });
  const check = (order: CheckOrder) => runCheck({ ...deps, secretFiles }, order);
  return { registry, gate, editedCalls, mcp, check };
}

/** Links in the path would hide it from comparisons with the real paths of calls. */
function realHome(env: Record<string, string | undefined>): string {
  const home = env['HOME'] ?? homedir();
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}
