package net.oooops.sigma.lab.gateways;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.embedded.tomcat.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.cloud.netflix.zuul.EnableZuulProxy;
import org.springframework.context.annotation.Bean;

/** Zuul 1 in Spring Boot, as the study had it, with the route of application.yml. */
@EnableZuulProxy
@SpringBootApplication(proxyBeanMethods = false)
public class Zuul1 {

    public static void main(String[] arguments) {
        SpringApplication.run(Zuul1.class, arguments);
    }

    /** Tomcat ends a connection after 100 requests, unless it is told not to. */
    @Bean
    WebServerFactoryCustomizer<TomcatServletWebServerFactory> kept() {
        return tomcat -> tomcat.addConnectorCustomizers(
                connector -> connector.setProperty("maxKeepAliveRequests", "-1"));
    }
}
