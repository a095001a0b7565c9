import assert from 'node:assert/strict';
import { ownAddresses } from '../../server/upstream/proxy/response.ts';
import type { UpstreamName } from '../../shared/upstreams.ts';
import { upstreamsAt } from '../support/proxy-app.ts';

describe('the proxies', () => {
  const urls = {
    identity: 'http://kratos:4433',
    'identity-admin': 'http://kratos:4434',
    oauth: 'https://hydra.internal',
    'oauth-admin': 'http://gateway:8080/hydra-admin',
    'iam-identity': 'http://gateway:8080/iam',
  };
  const upstreams = upstreamsAt(urls);
  const addressesOf = (name: UpstreamName) => {
    const own = upstreams.find((upstream) => upstream.name === name) ?? assert.fail(name);
    return ownAddresses(upstreams, { ...own, url: own.url ?? assert.fail(`${name} has no address`) });
  };

  const locations: [UpstreamName, string, string | undefined][] = [
    // The upstream's own origin is replaced in any spelling.
    ['identity', 'http://kratos:4433/self-service/login?flow=1#top', '/api/identity/self-service/login?flow=1#top'],
    ['identity', '//kratos:4433/x', '/api/identity/x'],
    ['identity', '/\\kratos:4433/x', '/api/identity/x'],
    ['oauth', 'https://hydra.internal:443/oauth2/auth', '/api/oauth/oauth2/auth'],
    // An address without an origin belongs to the upstream.
    ['identity-admin', '/admin/identities/1', '/api/identity-admin/admin/identities/1'],
    ['identity', '?next=2', '/api/identity/here/now?next=2'],
    ['identity', 'there', '/api/identity/here/there'],
    ['identity', '/../../api/settings', '/api/identity/api/settings'],
    // The origin may be that of another configured upstream.
    ['identity', 'http://kratos:4434/admin/identities?page_size=2', '/api/identity-admin/admin/identities?page_size=2'],
    ['identity', 'http://gateway:8080/iam/sessions', '/api/iam-identity/sessions'],
    ['iam-identity', 'http://gateway:8080/hydra-admin/clients', '/api/oauth-admin/clients'],
    // The path of a configured address is part of it.
    ['oauth-admin', 'http://gateway:8080/hydra-admin/clients/1', '/api/oauth-admin/clients/1'],
    ['oauth-admin', '/hydra-admin/clients/1', '/api/oauth-admin/clients/1'],
    ['oauth-admin', 'http://gateway:8080/hydra-administration', '/api/oauth-admin/hydra-administration'],
    // An address with any other origin is unchanged on a public prefix, and loses its host on an admin prefix.
    ['identity', 'https://login.example/ui?flow=1', 'https://login.example/ui?flow=1'],
    ['identity', 'http://kratos:4433@evil.example/', 'http://kratos:4433@evil.example/'],
    ['identity-admin', 'http://10.0.0.7:9999/admin/x?y=z', '/api/identity-admin/admin/x?y=z'],
    ['identity-admin', '//evil.example/x', '/api/identity-admin/x'],
    ['identity-admin', 'javascript:alert(1)', undefined],
    ['identity-admin', 'http://[broken', undefined],
  ];
  for (const [name, from, to] of locations) {
    const verb = from === to ? 'leave' : to === undefined ? 'drop' : 'replace';
    const result = from === to ? ' unchanged' : to === undefined ? '' : ` with ${to}`;
    it(`${verb} the address ${from} in a response of ${name}${result}`, () => {
      assert.equal(addressesOf(name).reference(from, name === 'oauth-admin' ? '/hydra-admin/here' : '/here/now'), to);
    });
  }

  const id = '9f425a8d-7efc-4768-8f23-7647a74fdf13';
  const links: [UpstreamName, string, string][] = [
    [
      'identity-admin',
      `</admin/identities?page_size=2&page_token=00000000-0000-0000-0000-000000000000>; rel="first",</admin/identities?page_size=2&page_token=${id}>; rel="next"`,
      `</api/identity-admin/admin/identities?page_size=2&page_token=00000000-0000-0000-0000-000000000000>; rel="first",</api/identity-admin/admin/identities?page_size=2&page_token=${id}>; rel="next"`,
    ],
    [
      'oauth-admin',
      '<http://gateway:8080/hydra-admin/clients?a=1,2&b=c;d>; rel="next", <http://other:1/x>;rel=prev',
      '</api/oauth-admin/clients?a=1,2&b=c;d>; rel="next", </api/oauth-admin/x>;rel=prev',
    ],
    [
      'identity',
      '<https://docs.example/x>; rel="help"; title="a, b"',
      '<https://docs.example/x>; rel="help"; title="a, b"',
    ],
    ['identity', 'not a link', 'not a link'],
  ];
  for (const [name, from, to] of links) {
    const header = from.length > 60 ? `${from.slice(0, 60)}…` : from;
    const effect = from === to ? 'leave a Link header unchanged' : 'replace only the addresses in a Link header';
    it(`${effect} in a response of ${name}: ${header}`, () => {
      assert.equal(addressesOf(name).links(from, '/'), to);
    });
  }
});
