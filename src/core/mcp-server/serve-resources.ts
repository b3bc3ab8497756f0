import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server';
import type { Caller } from '../auth/caller.ts';
import { mayCall } from './served-tool.ts';
import type { TaskResources } from './task-resources.ts';
import { readTaskUri, taskParts, taskUri } from './task-uris.ts';
import { readScopes } from './tools/read-tasks.ts';

export interface ResourceServing {
  caller: Caller;
  resources: TaskResources;
}

const templates = taskParts.map((part) => ({
  uriTemplate: taskUri('{id}', part),
  name: `task-${part}`,
  title: part === 'output' ? 'Output of a task' : 'Changes of a task',
  description:
    part === 'output'
      ? 'What the agent of the task printed, or answered'
      : 'What the task changed in its worktree, as a unified diff',
  mimeType: mimeTypeOf(part),
}));

/** Answers the methods of resources and the completion of task ids. */
export function serveResources(server: Server, { caller, resources }: ResourceServing): void {
  const mayRead = mayCall(caller, { scopes: readScopes });
  server.setRequestHandler('resources/list', async () => ({
    resources: mayRead
      ? (await resources.recent(caller)).map(({ id, part, title }) => ({
          uri: taskUri(id, part),
          name: `${id}-${part}`,
          title,
          mimeType: mimeTypeOf(part),
        }))
      : [],
  }));
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: mayRead ? templates : [],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const named = mayRead ? readTaskUri(uri) : undefined;
    if (!named) throw new ResourceNotFoundError(uri.slice(0, 500));
    const { text, cutFrom } = await resources.read(caller, named);
    const size = cutFrom === undefined ? {} : { _meta: { 'svc/bytes': cutFrom, 'svc/onlyTheEnd': true } };
    return { contents: [{ uri, mimeType: mimeTypeOf(named.part), text, ...size }] };
  });
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const isId = mayRead && ref.type === 'ref/resource' && argument.name === 'id';
    const ids = isId ? await resources.recentIds(caller) : [];
    return { completion: { values: ids.filter((id) => id.startsWith(argument.value)) } };
  });
}

function mimeTypeOf(part: (typeof taskParts)[number]): string {
  return part === 'output' ? 'text/plain' : 'text/x-diff';
}
