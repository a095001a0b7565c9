import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerOptions } from 'node:https';
import tls from 'node:tls';
import { upstreamFetch } from '../../server/upstream/fetch.ts';
import { certificateAuthority, selfSigned } from '../support/certificate.ts';
import { TEST_KEYS } from '../support/context.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { folderOfSuite, ofSuite } from '../support/of-suite.ts';
import { issueSession, SERVICE_ARGUMENTS, startNode, startServiceProcess } from '../support/processes.ts';
import { startProxyApp } from '../support/proxy-app.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { startFirstBytes, TLS_HANDSHAKE } from '../support/raw-upstream.ts';

const UNREACHABLE = '{"error":"bad_gateway","message":"Unable to reach upstream service."}';

describe('an upstream with an https address', () => {
  /** @param send returns once its request has failed, as the upstream closes each connection after its first bytes */
  async function assertEncrypted(send: (url: string) => Promise<unknown>): Promise<void> {
    const peer = await startFirstBytes();
    try {
      await send(`https://127.0.0.1:${peer.port}`);
    } finally {
      peer.close();
    }
    assert.equal(peer.arrived[0]?.[0], TLS_HANDSHAKE);
    assert.doesNotMatch(Buffer.concat(peer.arrived).toString('latin1'), /Bearer|plain/);
  }

  it('receives neither key nor body of a proxied request in plain text', () =>
    assertEncrypted(async (url) => {
      const app = await startProxyApp({ 'identity-admin': url }, { authorization: async () => 'Bearer stored' });
      const response = await sendRaw(
        app.port,
        `${requestHead('PUT /api/identity-admin/x', ['Content-Length: 5'])}plain`,
      );
      await app.close();
      assert.deepEqual([response.status, response.body.toString()], [502, UNREACHABLE]);
    }));

  it('receives no key of the server’s own requests in plain text', () =>
    assertEncrypted((url) =>
      assert.rejects(upstreamFetch(url, { headers: { authorization: 'Bearer key' }, timeoutMs: 60_000 }), {
        kind: 'unreachable',
      }),
    ));

  /** Alerts that end the handshake (RFC 8446, section 6). */
  const alerts = (...numbers: number[]): Buffer[] => numbers.map((number) => Buffer.from([21, 3, 3, 0, 2, 2, number]));
  for (const [kind, responses] of [
    ['certificate', alerts(40, 42, 43, 44, 45, 46, 48, 49, 116)],
    ['nonsense', [...alerts(70, 80, 112), 'HTTP/1.1 400 Bad Request\r\n\r\n']],
  ] as const)
    it(`fails as ${kind} if it ends the handshake in one of ${responses.length} ways`, async () => {
      for (const response of responses) {
        const peer = await startFirstBytes(response);
        const request = upstreamFetch(`https://127.0.0.1:${peer.port}`, { timeoutMs: 60_000 });
        await assert.rejects(request, { kind, reason: /^ERR_SSL_\w+$/ });
        peer.close();
      }
    });

  describe('and a certificate', () => {
    const authority = certificateAuthority();
    const trusted = authority.issue('localhost');
    const demanding = { ...trusted, ca: authority.cert, requestCert: true };
    const SERVERS: [variable: string, code: RegExp | undefined, options: ServerOptions, host?: string][] = [
      ['IDENTITY_URL', undefined, trusted],
      ['OAUTH_URL', /^DEPTH_ZERO_SELF_SIGNED_CERT$/, selfSigned('localhost')],
      ['IDENTITY_ADMIN_URL', /^CERT_HAS_EXPIRED$/, authority.issue('localhost', '250102000000Z')],
      // The certificate does not contain this name.
      ['IAM_IDENTITY_URL', /^ERR_TLS_CERT_ALTNAME_INVALID$/, trusted, '127.0.0.1'],
      ['IAM_IDENTITY_ADMIN_URL', /^ERR_SSL_\w+_ALERT_HANDSHAKE_FAILURE$/, { ...demanding, maxVersion: 'TLSv1.2' }],
      ['OAUTH_ADMIN_URL', /^ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED$/, { ...demanding, minVersion: 'TLSv1.3' }],
    ];
    const env: Record<string, string> = { OAUTH_CLIENT_ID: 'dashboard' };
    const requested: unknown[] = [];
    const inFolder = folderOfSuite();
    const envFile = (): string => `--env-file=${inFolder('customer.env')}`;
    const trust = (file: string): Promise<void> =>
      writeFile(inFolder('customer.env'), `NODE_EXTRA_CA_CERTS="${inFolder(file)}"\n`);

    for (const [variable, , options, host = 'localhost'] of SERVERS)
      ofSuite(async () => {
        const server = createServer(options, (req, res) => res.end(`served ${requested.push(req.url)}`));
        const listening = await listenOnLoopback(server);
        env[variable] = `https://${host}:${listening.port}`;
        return listening;
      });
    /** Only newer releases of Node load authorities named in the file of `--env-file`. */
    const canLoad = 'setDefaultCACertificates' in tls;
    const loaded = (): Record<string, string> => (canLoad ? {} : { NODE_EXTRA_CA_CERTS: inFolder('two.pem') });
    const NOT_USED = 'is not used: this Node';
    before(async () => {
      env['AUTH_URL'] = env['OAUTH_URL'] ?? '';
      await writeFile(inFolder('two.pem'), selfSigned('another').cert + authority.cert);
      await trust('two.pem');
    });

    it('receives requests only if neither side refuses a certificate; otherwise health and log have the code', async () => {
      const service = await startServiceProcess({ ...env, ...loaded() }, { nodeArguments: [envFile()] });
      const { cookie } = issueSession();
      try {
        for (const [variable, code] of SERVERS) {
          const name = variable.toLowerCase().replace('_url', '').replaceAll('_', '-');
          const response = await service.get(`/api/${name}/x`);
          assert.equal(response.body.toString(), code ? UNREACHABLE : 'served 1', name);
          if (code === undefined) continue;
          assert.equal(response.status, 502);
          const state = JSON.parse((await service.get(`/api/services/${name}`, [cookie])).body.toString());
          assert.deepEqual([state.status, state.problem], ['down', 'certificate'], name);
          assert.match(state.code, code);
          assert.ok(service.running.output().includes(`"code":"certificate ${state.code}"`));
        }
        assert.equal(requested.length, 1);
      } finally {
        await service.close();
      }
    });

    async function doctor(args: string[], changed: NodeJS.ProcessEnv = {}): Promise<string> {
      const running = startNode(args, { ...TEST_KEYS, ...env, ...changed });
      await running.ended();
      return running.output().replaceAll(/\s+/g, ' ');
    }

    it('is reported by doctor with the code, and without the advice to correct its address', async () => {
      const output = await doctor([envFile(), ...SERVICE_ARGUMENTS, 'doctor'], loaded());
      for (const problem of ['(CERT_HAS_EXPIRED)', '(DEPTH_ZERO_SELF_SIGNED_CERT)', 'ALERT_CERTIFICATE_REQUIRED)'])
        assert.ok(output.includes(problem), problem);
      assert.doesNotMatch(output, /Correct \w+_URL/);
    });

    const WITHOUT = 'data:text/javascript,import tls from "node:tls"; delete tls.setDefaultCACertificates';
    for (const [file, text, warning, node = []] of [
      ['missing.pem', undefined, 'names a file that cannot be read: ENOENT'],
      ['empty.pem', '', 'names a file without a certificate'],
      [
        'broken.pem',
        `${trusted.cert}${trusted.cert.replace(/M/, '?')}`,
        canLoad ? 'names a file with an invalid certificate' : NOT_USED,
      ],
      ['with-an-older-node.pem', trusted.cert, NOT_USED, ['--import', WITHOUT]],
    ] as [string, string | undefined, string, string[]?][])
      it(`is not trusted because of ${file} in NODE_EXTRA_CA_CERTS, of which service and doctor warn`, async () => {
        if (text !== undefined) await writeFile(inFolder(file), text);
        await trust(file);
        const nodeArguments = [...node, envFile()];
        assert.ok(
          (await doctor([...nodeArguments, ...SERVICE_ARGUMENTS, 'doctor', '--environment'])).includes(warning),
        );
        const service = await startServiceProcess({}, { nodeArguments });
        await service.close();
        assert.ok(service.running.output().includes(`"msg":"NODE_EXTRA_CA_CERTS ${warning}`));
      });
  });
});
