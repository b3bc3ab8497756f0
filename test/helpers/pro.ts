/** Whether this run is for PostgreSQL and Redis: `npm run test:pro`. */
export const isPro: boolean = process.env['SVC_TEST_PRO'] !== undefined;

/**
 * How many come at once where each needs the database: for a free connection to a server, they wait two seconds at most.
 */
export const crowd: number = isPro ? 100 : 1000;
