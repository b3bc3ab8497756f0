/** The result of one check; `next` suggests a fix. */
export interface Check {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  message: string;
  next?: string;
}
