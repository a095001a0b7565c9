import { JsonText } from '../../../ui/json-text.tsx';
import { useLoadedClient } from '../use-loaded-client.ts';

export const JsonTab = () => (
  <JsonText
    label="Client as JSON"
    about="As the OAuth server gave it, which shows the secret to nobody."
    value={useLoadedClient()}
  />
);
