import { PairDevice } from './pair-device.tsx';
import { PairedDevices } from './paired-devices.tsx';

/** The devices of the user, and how another one becomes one. */
export const DevicesSection = () => (
  <>
    <PairDevice />
    <PairedDevices />
  </>
);
