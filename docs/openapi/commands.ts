interface Command {
  /** The words after `main.js`. */
  words: string;
  /** How the shell redirects standard input or output. */
  redirected?: `< ${string}` | `> ${string}`;
  /** Set if Helm runs the command, in place of `kubectl exec`. */
  kubernetes?: string;
}

/** The commands of the service that the documentation shows, each in four forms, for the customer deployment. */
export const COMMANDS: readonly Command[] = [
  {
    words: 'migrate',
    kubernetes: 'helm upgrade customer deploy/chart -n dashboard-customer -f values-customer.yaml  # in a job',
  },
  { words: 'settings:set upstream.identity-admin.api_key', redirected: '< admin-key.txt' },
  { words: 'settings:rekey' },
  { words: 'audit:verify' },
  { words: 'audit:verify --expect SEQUENCE:TAG' },
  { words: 'audit:export', redirected: '> audit.ndjson' },
  { words: 'audit:prune --before YYYY-MM-DD --exported SEQUENCE:TAG' },
  { words: 'setup --admin admin@example.com --yes' },
  { words: 'doctor' },
];

/** The form that runs Node on this machine, with the variables in `customer.env`. */
export const nodeForm = ({ words, redirected }: Command): string =>
  ['node --env-file=customer.env dist/server/main.js', words, redirected].filter(Boolean).join(' ');

/** Names in these forms are those of deploy/systemd, deploy/compose.yaml and deploy/chart/README.md. */
function formsOf(command: Command): [form: string, line: string][] {
  const { words, redirected = '', kubernetes } = command;
  const stdin = redirected.startsWith('<') ? ' -i' : '';
  const lines: [string, string][] = [
    ['Node', nodeForm(command)],
    ['systemd', `sudo dashboard-admin customer ${words} ${redirected}`],
    [
      'Docker Compose',
      `docker compose -f deploy/compose.yaml run --rm -T customer dist/server/main.js ${words} ${redirected}`,
    ],
    [
      'Kubernetes',
      kubernetes ??
        `kubectl -n dashboard-customer exec${stdin} deploy/customer-dashboard -- /nodejs/bin/node dist/server/main.js ${words} ${redirected}`,
    ],
  ];
  return lines.map(([form, line]) => [form, line.trimEnd()]);
}

/** Returns the page with the forms of each command between its two comments. @throws for a command not in the table */
export const withCommands = (page: string): string =>
  page.replaceAll(
    /^( *)<!-- command: (.+) -->\n[\s\S]*?<!-- \/command -->$/gm,
    (_all, indent: string, words: string) => {
      const command = COMMANDS.find((one) => one.words === words);
      if (command === undefined) throw new Error(`${words} is not in docs/openapi/commands.ts`);
      const lines = formsOf(command).flatMap(([form, line]) => [`# ${form}`, line]);
      return [`<!-- command: ${words} -->`, '```sh', ...lines, '```', '<!-- /command -->']
        .map((line) => indent + line)
        .join('\n');
    },
  );
