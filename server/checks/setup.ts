import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { attempt } from '../../shared/json.ts';
import { discoveryAddress, type UpstreamName } from '../../shared/upstreams.ts';
import type { Config } from '../config/config.ts';
import { trustExtraAuthorities } from '../config/extra-authorities.ts';
import { parseConfig } from '../config/parse-config.ts';
import { adminClients, openStorage, SYSTEM_CLOCK } from '../context.ts';
import { DatabaseNotReady, withoutDriverText } from '../db/errors.ts';
import { namesOfRun } from '../db/migrate.ts';
import type { Log } from '../log.ts';
import {
  adminApi,
  administratorStep,
  oauthClientStep,
  providerStep,
  schemaStep,
  signInLogStep,
} from './setup-services.ts';
import {
  databaseStep,
  environmentFile,
  keySteps,
  lookAtFile,
  readKeys,
  SetupFailed,
  type Step,
} from './setup-storage.ts';
import { responseFrom } from './upstreams.ts';

export type SetupRequest = NonNullable<ReturnType<typeof parseSetupArguments>>;

/**
 * @returns undefined for invalid arguments. `envFile`: undefined for the default name, or for no file if the
 * environment has every variable; `admin`: the email address of the first administrator; `keys`: a list of `NAME=FILE`;
 * `yes`: false to show only the plan
 */
export function parseSetupArguments(args: readonly string[]) {
  const options = {
    file: { type: 'string' },
    admin: { type: 'string' },
    key: { type: 'string', multiple: true },
    yes: { type: 'boolean' },
  } as const;
  const parsed = attempt(() => parseArgs({ args: [...args], options }));
  if (parsed === undefined) return undefined;
  const { file: envFile, admin, key: keys = [], yes = false } = parsed.values;
  if (envFile === '' || (admin !== undefined && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(admin))) return undefined;
  return { envFile, admin, keys, yes };
}

/** 0: nothing is left to do. 1: a step failed or must be done by hand. 3: a plan with something to do. */
export type SetupExitCode = 0 | 1 | 3;

/**
 * Creates what an installation lacks. Each step depends only on those before it, and checks first what exists, so that
 * an interrupted setup can simply be run again.
 * @param print takes one line
 * @throws ConfigurationError, SetupFailed before anything is changed
 */
export async function setUp(
  env: NodeJS.ProcessEnv,
  request: SetupRequest,
  { log, print }: { log: Log; print: (line: string) => void },
): Promise<SetupExitCode> {
  const keys = readKeys(request.keys);
  const file = environmentFile(request.envFile, env);
  const config = parseConfig(file.variables);
  const { auth } = config;
  const { provider } = auth;
  const byClaims = auth.operators.from === 'claims';
  if (byClaims && request.admin !== undefined)
    throw new SetupFailed(
      'Operators come from the OpenID provider’s claims: leave out --admin, and give the person there a value that OPERATOR_ROLE_VALUES lists for admin.',
    );
  for (const { variable, text } of trustExtraAuthorities(config, file.variables)) print(`warning  ${variable} ${text}`);
  const storage = openStorage(config, log, SYSTEM_CLOCK);
  try {
    const hasTables = async (): Promise<boolean> => {
      if (config.database.client === 'sqlite' && !existsSync(config.database.path)) return false;
      return (await namesOfRun(storage.database).catch(() => [])).length > 0;
    };
    const authorization = async (name: UpstreamName): Promise<string | undefined> => {
      const given = keys.get(name);
      if (given !== undefined) return `Bearer ${given}`;
      return (await hasTables()) ? storage.authorization(name) : undefined;
    };
    const { operatorsApi, signInApi } = adminClients({ ...storage, authorization });
    const steps: Step[] = [
      { title: 'Environment file', look: async () => lookAtFile(file) },
      databaseStep(config, storage, `${file.path.replace(/\.env$/, '')}.create-database.sql`),
      ...keySteps(keys, storage, hasTables),
      provider.kind === 'oauth2'
        ? oauthClientStep(config, adminApi(auth.oauthAdmin, signInApi, storage.audit))
        : providerStep(config, provider),
      ...(byClaims
        ? []
        : [
            schemaStep(auth, file.path),
            administratorStep(auth, adminApi(auth.store, operatorsApi, storage.audit), request.admin),
          ]),
      ...(config.events ? [signInLogStep(config.events, config.deployment)] : []),
    ];
    const exitCode = await runSteps(steps, request.yes, print);
    if (exitCode !== 0 || !request.yes) return exitCode;
    // A new Hydra makes its keys at this request, in some ten seconds, and loses them if the caller leaves before.
    if (provider.kind === 'oauth2') await responseFrom(discoveryAddress(provider.internalUrl), {}, 15_000);
    for (const line of whatIsLeft(auth, file.isNeeded ? `--env-file=${file.path} ` : '')) print(line);
    return exitCode;
  } finally {
    await storage.close();
  }
}

/** @param yes runs the steps up to the first that fails or must be done by hand; otherwise, only prints a plan */
async function runSteps(steps: readonly Step[], yes: boolean, print: (line: string) => void): Promise<SetupExitCode> {
  let exitCode: SetupExitCode = 0;
  for (const [index, step] of steps.entries()) {
    const { word, text, lines = [] } = await outcomeOf(step, yes);
    print(`${word.padEnd(9)}${step.title}: ${text}`);
    for (const line of lines) print(`${' '.repeat(9)}${line}`);
    if (word === 'ok' || word === 'done') continue;
    exitCode = exitCode === 1 || word === 'failed' ? 1 : 3;
    if (!yes) continue;
    const left = steps.slice(index).map(({ title }) => title);
    print('');
    print(`Left: ${left.join(', ')}. Run the same command again afterwards.`);
    return 1;
  }
  if (yes || exitCode === 1) return exitCode;
  print('');
  print(exitCode === 0 ? 'Nothing to do.' : 'This is a plan: nothing was changed. To carry it out, add --yes.');
  return exitCode;
}

async function outcomeOf({ look }: Step, yes: boolean) {
  let doing = '';
  try {
    const { state, text, lines, apply } = await look();
    if (yes && state === 'to do') doing = `${text}: `;
    const applied = yes ? await apply?.() : undefined;
    return doing === '' ? { word: state, text, lines } : { word: 'done', text, lines: applied };
  } catch (error) {
    const failure = withoutDriverText(error);
    if (failure instanceof SetupFailed || failure instanceof DatabaseNotReady)
      return { word: 'failed', text: doing + failure.message };
    throw error;
  }
}

const whatIsLeft = ({ provider, operators, roleFrom }: Config['auth'], nodeOptions: string): string[] => [
  '',
  'Everything is set up. Check by hand what no program can see or change:',
  ...(provider.kind === 'oauth2'
    ? [
        '  Hydra’s configuration requires PKCE: oauth2.pkce.enforced_for_public_clients: true',
        '  Hydra’s configuration names its pages: urls.login, urls.consent, urls.logout',
      ]
    : ['  The OpenID provider has the client as listed above']),
  '  A reverse proxy for the dashboard terminates TLS, and TRUST_PROXY names it, unless BASE_URL is this machine',
  operators.from === 'claims'
    ? '  At the provider, nobody can give themselves a value that OPERATOR_ROLE_VALUES lists'
    : '  Kratos’ configuration registers nobody as an operator: identity.default_schema_id is not the operators’ schema',
  ...(operators.from !== 'claims' && roleFrom === 'traits.role'
    ? ['  Kratos’ configuration lets nobody change their own traits: selfservice.methods.profile.enabled: false']
    : []),
  'Check everything, and start it:',
  `  node ${nodeOptions}dist/server/main.js doctor`,
  `  node ${nodeOptions}dist/server/main.js`,
];
