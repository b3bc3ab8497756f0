import type { ExperienceType } from '../../../contract/experiences.ts';

/** What each type of experience tells of. */
export const experienceMeanings: Record<ExperienceType, string> = {
  tool_chain: 'which tools led there, in their order',
  user_preference: 'how somebody wants it done',
  task_solution: 'how a task was done',
  error_recovery: 'how a failure was mended',
};
export const experienceTypes = Object.keys(experienceMeanings) as ExperienceType[];
