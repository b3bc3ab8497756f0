/** The result of one check; `next` suggests a fix. */
export interface Check {
  name: string;
  /** The provider or the agent that was checked. */
  subject?: string;
  /** `skip` for what is not set up, which may be as wanted. */
  status: 'ok' | 'warn' | 'fail' | 'skip';
  message: string;
  next?: string;
}
