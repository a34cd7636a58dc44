package net.oooops.sigma.lab.gateways;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Spring Cloud Gateway with the route of application.yml. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringCloudGateway {

    public static void main(String[] arguments) {
        SpringApplication.run(SpringCloudGateway.class, arguments);
    }
}
