/** Whether this is the built service; its sources end in `.ts`. */
export const isBuilt = import.meta.url.endsWith('.js');

/** The only place in the service that reads the environment. */
export const environment = (): NodeJS.ProcessEnv => process.env;
