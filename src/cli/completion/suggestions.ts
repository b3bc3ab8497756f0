import { type Candidate, suggested } from '../program/value-type.ts';

const SUGGESTED = 100;

/** The type of an agent. */
export const agentType = suggested(
  async (cli, { signal }) => {
    const { types } = await cli.connect({ mayStart: false }).client.agents.listTypes({}, { signal });
    return types.map((type): Candidate => [type, '']);
  },
  { one: 'Agent type', several: 'Agent types' },
);

/** The name of an agent that an administrator added. */
export const addedAgent = suggested(
  async (cli, { signal }) => {
    const { agents } = await cli.connect({ mayStart: false }).client.agents.list({}, { signal });
    return agents
      .filter(({ programSetting }) => programSetting === 'agents.added')
      .map(({ type, program = '' }): Candidate => [type, program]);
  },
  { one: 'Agent', several: 'Agents' },
);

/** The id of a finished task whose agent keeps a session that another task can continue. */
export const continuedTask = suggested(async (cli, { signal }) => {
  const { client } = cli.connect({ mayStart: false });
  const { sessions } = await client.agents.listSessions({ query: { limit: SUGGESTED } }, { signal });
  return sessions.map(({ taskId, agent, title }): Candidate => [taskId, `${agent} ${title}`]);
});

/** The type of an agent that answers in conversations. */
export const chatAgent = suggested(
  async (cli, { signal }) => {
    const { chats = [] } = await cli.connect({ mayStart: false }).client.agents.listTypes({}, { signal });
    return chats.map((type): Candidate => [type, '']);
  },
  { one: 'Agent of the chat', several: 'Agents of chats' },
);

/** The name of a context. */
export const contextName = suggested(
  async ({ locations }) => {
    const { localContext, readContexts } = await import('../connection/contexts-file.ts');
    const { contexts = {} } = readContexts(locations);
    return [
      [localContext, 'this machine'],
      ...Object.entries(contexts).map(([name, { url }]): Candidate => [name, url]),
    ];
  },
  { one: 'Name of the context', several: 'Names of contexts' },
);

/** The name of a guard. */
export const guardName = suggested(
  async (cli, { signal }) => {
    const { guards } = await cli.connect({ mayStart: false }).client.guards.list({}, { signal });
    return guards.map(({ name, enabled }): Candidate => [name, enabled ? 'enabled' : 'disabled']);
  },
  { one: 'Name of the guard', several: 'Names of guards' },
);

/** The path of an indexed file. */
export const indexedFile = suggested(
  async (cli, { signal }) => {
    const { client } = cli.connect({ mayStart: false });
    const { files } = await client.memory.listFiles({ query: { limit: SUGGESTED } }, { signal });
    return files.map(({ path, chunkCount }): Candidate => [path, `${chunkCount} chunks`]);
  },
  { one: 'Path of the file', several: 'Paths of files' },
);

/** The key of a setting. */
export const settingKey = suggested(
  async (cli, { signal }) => {
    const { settings } = await cli.connect({ mayStart: false }).client.config.list({}, { signal });
    return settings.map(({ key, description }): Candidate => [key, description]);
  },
  { one: 'Key of the setting', several: 'Keys of settings' },
);

/** An IANA time zone. */
export const timeZone = suggested(async () =>
  ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone): Candidate => [zone, '']),
);

/** The name of a model: of the provider that is named before, else also with the name of its provider. */
export const modelName = suggested(
  async (cli, { signal, values }) => {
    const provider = values.get('provider');
    const { client } = cli.connect({ mayStart: false });
    const query = provider === undefined ? {} : { provider };
    const [{ models }, fallback] = await Promise.all([
      client.chat.listModels({ query }, { signal }),
      provider ?? client.providers.list({}, { signal }).then((answer) => answer.default?.provider),
    ]);
    const candidates = (prefix: (name: string) => string, of: typeof models) =>
      of.map(({ id, name, provider: by }): Candidate => [`${prefix(by)}${id}`, name === id ? '' : name]);
    return [
      ...candidates(
        () => '',
        models.filter((model) => model.provider === fallback),
      ),
      ...(provider === undefined ? candidates((by) => `${by}/`, models) : []),
    ];
  },
  { one: 'Name of the model', several: 'Names of models' },
);

/** The name of a tool, or the beginning of one before a star. */
export const toolName = suggested(
  async (cli, { signal }) => {
    const { tools } = await cli.connect({ mayStart: false }).client.tools.list({}, { signal });
    return tools.map(({ name, description }): Candidate => [name, description]);
  },
  { one: 'Name of the tool', several: 'Names of tools' },
);
