/** The only place in the service that reads the environment. */
export const environment = (): NodeJS.ProcessEnv => process.env;
