// biome-ignore lint/performance/noBarrelFile: a separate chunk, which `modal.tsx` loads
export { Drawer, Modal } from '@mantine/core';
