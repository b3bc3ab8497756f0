/** Path of the WebSocket of the live feed; it needs a session. */
export const livePath = '/api/live';
