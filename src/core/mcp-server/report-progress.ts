import type { ServerContext } from '@modelcontextprotocol/server';

/** Sends progress of the request where the client asked for it; what cannot be sent is dropped, because more will follow. */
export function reportProgress({ mcpReq }: ServerContext): ((message: string) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return (message) => {
    progress += 1;
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
      .catch(() => undefined);
  };
}
