/** What a sealed address of a browser belongs to. */
export const endpointContext = (id: string): string => `push_subscriptions.endpoint:${id}`;

/** What a sealed secret of a browser belongs to. */
export const authContext = (id: string): string => `push_subscriptions.auth:${id}`;
