/** Whether this run is for PostgreSQL and Redis: `npm run test:pro`. */
export const isPro: boolean = process.env['SVC_TEST_PRO'] !== undefined;
