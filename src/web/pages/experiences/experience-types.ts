import type { ExperienceType } from '../../../contract/experiences.ts';

/** What the types are called in filters and forms. */
export const typeNames: Record<ExperienceType, string> = {
  task_solution: 'Solutions',
  error_recovery: 'Fixes',
  tool_chain: 'Tool chains',
  user_preference: 'Ways of working',
};
