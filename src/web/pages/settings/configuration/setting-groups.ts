/** The settings that administrators change most; the search finds all others. */
export const groups: readonly { title: string; keys: readonly string[] }[] = [
  {
    title: 'Queue',
    keys: [
      'queue.concurrency',
      'queue.concurrencyPerAgent',
      'queue.interactiveConcurrency',
      'queue.maxConcurrentPerUser',
      'queue.retry.attempts',
      'queue.retry.backoff',
      'pool.timeoutMs',
    ],
  },
  {
    title: 'Agents',
    keys: ['agents.default', 'agents.sandbox', 'agents.silenceMs', 'agents.builtin.maxSteps'],
  },
  { title: 'Budgets', keys: ['limits.tokensPerDay', 'limits.costPerDay'] },
  {
    title: 'Network',
    keys: ['server.host', 'server.port', 'server.baseUrl', 'outbound.allowPrivate', 'metrics.public'],
  },
  { title: 'Log', keys: ['log.level', 'log.maxMiB'] },
];
