import * as openid from 'openid-client';
import type { Role } from '../../shared/capabilities.ts';
import { type Landed, type SandboxBrowser, sandboxBrowser } from './sandbox-browser.ts';
import { DASHBOARD, type SandboxFixture } from './sandbox-fixture.ts';

export const CALLBACK = `${DASHBOARD}/api/auth/callback`;
const STATE = 'a-state';

/** An independent client of the sandbox's OAuth server. */
export interface OpenidOracle {
  /** Opens the sign-in page. */
  begin(
    extra?: Record<string, string>,
    browser?: SandboxBrowser,
  ): Promise<{ verifier: string; browser: SandboxBrowser; page: Landed }>;
  signIn(identifier: string, password: string, browser?: SandboxBrowser): Promise<{ verifier: string; landed: Landed }>;
  exchange(signedIn: {
    verifier: string;
    landed: Landed;
  }): Promise<openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers>;
  tokensOf(role: Role): Promise<openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers>;
  configuration: openid.Configuration;
}

export async function openidOracle(fixture: SandboxFixture): Promise<OpenidOracle> {
  const execute = [openid.allowInsecureRequests];
  const configuration = await openid.discovery(new URL(fixture.url('oauth')), 'dashboard', undefined, openid.None(), {
    execute,
  });
  const oracle: OpenidOracle = {
    configuration,
    async begin(extra = {}, browser = sandboxBrowser()) {
      const verifier = openid.randomPKCECodeVerifier();
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: CALLBACK,
        scope: 'openid profile email',
        state: STATE,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...extra,
      });
      return { verifier, browser, page: await browser.open(url.href) };
    },
    async signIn(identifier, password, asked) {
      const { verifier, browser, page } = await oracle.begin({}, asked);
      return { verifier, landed: await browser.submit(page, { identifier, password }) };
    },
    exchange: ({ verifier, landed }) =>
      openid.authorizationCodeGrant(configuration, new URL(landed.url), {
        pkceCodeVerifier: verifier,
        expectedState: STATE,
      }),
    async tokensOf(role) {
      const operator = fixture.sandbox().operators.find((candidate) => candidate.role === role);
      return oracle.exchange(await oracle.signIn(operator?.email ?? '', operator?.password ?? ''));
    },
  };
  return oracle;
}
