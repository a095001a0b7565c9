import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { answering, type PinnedProcess, startPinned } from './pinned-process.ts';

/** What the upstream answers to `/small`. */
export const SMALL_JSON = JSON.stringify({
  id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  state: 'active',
  traits: { email: 'ada@corp.example', role: 'admin' },
});

export interface Nginx {
  url: string;
  process: PinnedProcess;
}

const common = (directory: string, port: number, locations: string): string => `
daemon off; master_process off; worker_processes 1; pid ${directory}/pid-${port}; error_log /dev/null crit;
events { worker_connections 4096; }
http {
  access_log off; sendfile on; tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600;
  client_max_body_size 0; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;
  fastcgi_temp_path ${directory}/f; uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
  ${locations.replaceAll('PORT', String(port))}
}`;

async function start(directory: string, core: string, locations: string): Promise<Nginx> {
  const port = await freePort();
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `nginx-${port}.conf`);
  writeFileSync(file, common(directory, port, locations));
  const process = startPinned(core, ['nginx', '-p', directory, '-c', file]);
  const url = `http://127.0.0.1:${port}`;
  await answering(url);
  return { url, process };
}

/** An upstream cheaper than any proxy: a constant answer, the identity of the bench's operator, and large files. */
export function startUpstream(directory: string, core: string, operator: { id: string; body: string }): Promise<Nginx> {
  mkdirSync(directory, { recursive: true });
  for (const [name, bytes] of Object.entries({ '100MB': 1e8, '1GB': 1e9 })) {
    writeFileSync(join(directory, name), '');
    truncateSync(join(directory, name), bytes);
  }
  return start(
    directory,
    core,
    `server { listen 127.0.0.1:PORT backlog=4096; root ${directory};
      location = /small { default_type application/json; return 200 '${SMALL_JSON}'; }
      location = /admin/identities/${operator.id} { default_type application/json; return 200 '${operator.body}'; }
      location = / { return 204; } }`,
  );
}
