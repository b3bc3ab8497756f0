// Generated from the contract by bin/generate.js. Do not edit.

const approvalsListStatus = ['pending', 'all'] as const;
const approvalsDecideDecision = ['allow-once', 'allow-always', 'deny'] as const;
const approvalsDecideCovers = ['kind', 'tool'] as const;
const chatCreateCompletionProvider = [
  'anthropic',
  'openai',
  'azure',
  'google',
  'mistral',
  'groq',
  'xai',
  'deepseek',
  'cohere',
  'perplexity',
  'together',
  'fireworks',
  'cerebras',
  'ollama',
  'openrouter',
] as const;
const chatCreateSmartCompletionPresetId = [
  'assistant',
  'developer',
  'reviewer',
  'task-manager',
  'writer',
] as const;
const conversationsGetChangesTurn = ['last', 'all'] as const;
const conversationsSendMessageWithToolsSecurityMode = [
  'deny',
  'sandbox',
  'allowlist',
  'ask',
  'full',
] as const;
const conversationsSendAgenticMessageEffort = ['low', 'medium', 'high', 'max'] as const;
const dlqListStatus = ['pending', 'resolved', 'discarded', 'all'] as const;
const experiencesCreateType = ['tool_chain', 'user_preference', 'task_solution', 'error_recovery'] as const;
const gatewaySubmitWorkflow = [
  'code-review',
  'ticket-resolve',
  'test-generation',
  'refactor',
  'summarize',
  'custom',
] as const;
const guardsUpdateName = ['path-traversal', 'shell-injection', 'secret-exfiltration', 'rate-limit'] as const;
const inboundListProvider = ['codehost', 'tracker_a', 'tracker_b'] as const;
const inboundListStatus = ['accepted', 'ignored', 'duplicate', 'refused'] as const;
const integrationsUpdateWebSearchProvider = ['brave', 'serper', 'tavily', 'searxng'] as const;
const invitesCreateRole = ['user', 'admin'] as const;
const memorySearchMethod = ['hybrid', 'vector', 'keyword'] as const;
const memoryListSessionsStatus = ['active', 'archived'] as const;
const openaiCreateChatCompletionReasoning_effort = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const;
const openaiCreateEmbeddingsEncoding_format = ['float', 'base64'] as const;
const pairingCreateQrLink = ['app', 'browser'] as const;
const pushSubscribeKinds = ['approval', 'failure', 'waiting'] as const;
const schedulesListStatus = ['active', 'paused', 'done'] as const;
const schedulesCreateOverlap = ['skip', 'queue', 'cancel_previous'] as const;
const schedulesCreateCatchUp = ['skip', 'run_once'] as const;
const keysRegisterAlgorithm = ['ed25519', 'p256'] as const;
const tasksListStatus = ['pending', 'queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const;
const tasksListFields = [
  'id',
  'title',
  'description',
  'prompt',
  'status',
  'priority',
  'source',
  'sourceId',
  'sourceUrl',
  'repository',
  'branch',
  'labels',
  'assignedAgent',
  'agentType',
  'needs',
  'home',
  'daemon',
  'cwd',
  'envNames',
  'umask',
  'worktree',
  'memoryScope',
  'securityMode',
  'verify',
  'repair',
  'model',
  'provider',
  'maxSteps',
  'maxBudget',
  'maxCostUsd',
  'maxTimeMs',
  'outputSchema',
  'attempts',
  'maxAttempts',
  'retryOnFailure',
  'attached',
  'held',
  'createdAt',
  'updatedAt',
  'startedAt',
  'completedAt',
  'scheduledFor',
  'result',
  'error',
  'retriedFrom',
  'continues',
  'bestOf',
  'parentId',
  'choice',
  'idempotencyKey',
  'metadata',
  'progress',
  'outcome',
] as const;
const tasksCreateSource = ['codehost', 'tracker_a', 'tracker_b', 'api', 'cron'] as const;
const tasksCreateMemoryScope = ['project', 'all'] as const;
const tasksFilterSortBy = ['createdAt', 'updatedAt', 'priority', 'completedAt'] as const;
const tasksFilterSortOrder = ['asc', 'desc'] as const;
const tasksGetOutputStream = ['stdout', 'stderr', 'text'] as const;
const tokensCreateScopes = [
  'gateway:write',
  'gateway:read',
  'tasks:read',
  'tasks:write',
  'webhooks:write',
  'agents:command',
  'metrics:read',
  'models:use',
  'memory:read',
] as const;
const usageListBy = [
  'day',
  'month',
  'agent',
  'model',
  'provider',
  'user',
  'token',
  'repository',
  'task',
  'conversation',
] as const;
const webhooksCreateEvents = [
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.waiting',
  'agent.started',
  'agent.finished',
  'approval.requested',
  'approval.decided',
] as const;
const webhooksCreateFormat = ['json', 'text'] as const;
const webhooksListDeliveriesStatus = ['pending', 'delivered', 'failed'] as const;

/** The words that the input fields of each route accept, for a client that has to start fast. */
export const choiceTable = {
  approvals: {
    list: { status: approvalsListStatus },
    decide: { decision: approvalsDecideDecision, covers: approvalsDecideCovers },
  },
  chat: {
    createCompletion: { provider: chatCreateCompletionProvider },
    createQuickCompletion: { provider: chatCreateCompletionProvider },
    createSmartCompletion: {
      presetId: chatCreateSmartCompletionPresetId,
      provider: chatCreateCompletionProvider,
    },
    decideApproval: { decision: approvalsDecideDecision, covers: approvalsDecideCovers },
    listModels: { provider: chatCreateCompletionProvider },
  },
  conversations: {
    create: { presetId: chatCreateSmartCompletionPresetId },
    compact: { provider: chatCreateCompletionProvider },
    getChanges: { turn: conversationsGetChangesTurn },
    sendMessage: { provider: chatCreateCompletionProvider },
    sendMessageWithTools: {
      provider: chatCreateCompletionProvider,
      securityMode: conversationsSendMessageWithToolsSecurityMode,
    },
    sendAgenticMessage: {
      provider: chatCreateCompletionProvider,
      effort: conversationsSendAgenticMessageEffort,
    },
  },
  dlq: {
    list: { status: dlqListStatus },
  },
  experiences: {
    create: { type: experiencesCreateType },
    list: { type: experiencesCreateType },
  },
  gateway: {
    submit: { workflow: gatewaySubmitWorkflow },
  },
  guards: {
    update: { name: guardsUpdateName },
  },
  inbound: {
    list: { provider: inboundListProvider, status: inboundListStatus },
  },
  integrations: {
    updateWebSearch: { provider: integrationsUpdateWebSearchProvider },
  },
  invites: {
    create: { role: invitesCreateRole },
  },
  memory: {
    search: { method: memorySearchMethod },
    explainSearch: { method: memorySearchMethod },
    listSessions: { status: memoryListSessionsStatus },
  },
  openai: {
    createChatCompletion: { reasoning_effort: openaiCreateChatCompletionReasoning_effort },
    createEmbeddings: { encoding_format: openaiCreateEmbeddingsEncoding_format },
  },
  pairing: {
    createQr: { link: pairingCreateQrLink },
    approve: { role: invitesCreateRole },
  },
  push: {
    subscribe: { kinds: pushSubscribeKinds },
  },
  policy: {
    update: { defaultMode: conversationsSendMessageWithToolsSecurityMode },
  },
  providers: {
    remove: { type: chatCreateCompletionProvider },
    listModels: { type: chatCreateCompletionProvider },
    configure: { type: chatCreateCompletionProvider },
    checkHealth: { type: chatCreateCompletionProvider },
    setDefault: { provider: chatCreateCompletionProvider },
  },
  schedules: {
    list: { status: schedulesListStatus },
    create: { overlap: schedulesCreateOverlap, catchUp: schedulesCreateCatchUp },
    update: { overlap: schedulesCreateOverlap, catchUp: schedulesCreateCatchUp },
  },
  keys: {
    register: { algorithm: keysRegisterAlgorithm },
  },
  tasks: {
    list: { status: tasksListStatus, fields: tasksListFields },
    create: {
      source: tasksCreateSource,
      memoryScope: tasksCreateMemoryScope,
      securityMode: conversationsSendMessageWithToolsSecurityMode,
      provider: chatCreateCompletionProvider,
    },
    filter: {
      sortBy: tasksFilterSortBy,
      sortOrder: tasksFilterSortOrder,
      status: tasksListStatus,
      source: tasksCreateSource,
      fields: tasksListFields,
    },
    getOutput: { stream: tasksGetOutputStream },
    searchOutput: { stream: tasksGetOutputStream },
  },
  tokens: {
    create: { scopes: tokensCreateScopes },
  },
  usage: {
    list: { by: usageListBy },
    getCsv: { by: usageListBy },
  },
  users: {
    update: { role: invitesCreateRole },
  },
  webhooks: {
    create: { events: webhooksCreateEvents, format: webhooksCreateFormat },
    update: { events: webhooksCreateEvents, format: webhooksCreateFormat },
    listDeliveries: { status: webhooksListDeliveriesStatus },
  },
};
