// A provider of OpenID Connect: `node oidc_provider.mjs PORT SECONDS`, where PORT is the gateway's and access tokens are good for SECONDS.
// Says "ready PORT" with its own port, and "tokens GRANT" for each request to the token endpoint.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const [gateway, seconds] = process.argv.slice(2).map(Number);
const application = `http://localhost:${gateway}`;

const server = createServer((request, response) => handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  const provider = new Provider(`http://localhost:${port}`, {
    clients: [{
      client_id: 'shop',
      client_secret: 'a secret: 100% & more',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${application}/oidc/callback`],
      post_logout_redirect_uris: [`${application}/bye`],
    }],
    claims: { email: ['email'], openid: ['sub'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['of a test'] },
    findAccount: (context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.org` }),
    }),
    issueRefreshToken: () => true,
    pkce: { methods: ['S256'], required: () => true },
    rotateRefreshToken: true,
    ttl: { AccessToken: seconds, RefreshToken: 600, IdToken: 600, Session: 600, Grant: 600, Interaction: 600 },
  });
  provider.on('grant.success', (context) => console.log('tokens', context.oidc.params.grant_type));
  provider.on('grant.error', (context, error) => console.log('refused', error.message, error.error_detail));
  provider.on('server_error', (context, error) => console.log('failed', error));
  const callback = provider.callback();
  handle = callback;
  console.log('ready', port);
});
let handle;
