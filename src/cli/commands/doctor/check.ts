/** What one look found; `next` says what to do about it. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  next?: string;
}
