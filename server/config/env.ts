/** The process' environment; read nowhere else in the service. */
export const environment = (): NodeJS.ProcessEnv => process.env;
