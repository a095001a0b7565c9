/** Of the built service; the sources end in `.ts`. */
const isBuilt = import.meta.url.endsWith('.js');

/** The only place in the service that reads the environment. The built one is in production unless it is to be in development. */
export const environment = (): NodeJS.ProcessEnv =>
  isBuilt && ['', 'test'].includes(process.env['NODE_ENV']?.trim() ?? '')
    ? { ...process.env, NODE_ENV: 'production' }
    : process.env;
