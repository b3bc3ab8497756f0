/** Starts the gateway when it is imported. */
declare module '@portkey-ai/gateway/build/start-server.js';
